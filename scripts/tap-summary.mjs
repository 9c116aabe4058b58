// Reads TAP from AVA, shows it in a short form, and counts. As a filter:
//   npx ava --tap | node scripts/tap-summary.mjs      last line: `N passed, N failed`
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** Failures are shown with their diagnostics, passes by title. Skipped tests count as neither. */
export async function summarizeTap(input, write) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  let diagnosticsOfFailure = false;
  for await (const line of createInterface({ input })) {
    const result = /^(not )?ok\b(?: \d+)?(?: - )?(.*)$/.exec(line);
    if (result === null) {
      if (diagnosticsOfFailure && !/^(1\.\.|# (tests|pass|fail)\b)/.test(line)) write(`${line}\n`);
      continue;
    }
    const [, failed, title] = result;
    diagnosticsOfFailure = failed !== undefined;
    if (failed !== undefined) {
      total.failed += 1;
      write(`FAILED  ${title}\n`);
    } else if (/# (SKIP|TODO)\b/i.test(title)) {
      total.skipped += 1;
      write(`skipped ${title}\n`);
    } else {
      total.passed += 1;
      write(`ok      ${title}\n`);
    }
  }
  return total;
}

/** The line that continuous integration reads; it stands alone. */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const total = await summarizeTap(process.stdin, (text) => process.stdout.write(text));
  process.stdout.write(`${summaryLine(total)}\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}
