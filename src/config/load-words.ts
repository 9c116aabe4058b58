// The words of a configuration line, as redis.conf has them:
//   plain words, separated by blanks
//   "double quotes" with \n \r \t \b \a \xHH and \<any>
//   'single quotes' with \' only
// A closing quote must be followed by a blank or the end.

/** The words of `line`, or null when its quotes are unbalanced. */
export function splitArgs(line: string): string[] | null {
  // One character per byte, so that "\xc3\xa9" and "é" are the same word.
  const bytes = Buffer.from(line, 'utf8').toString('latin1');
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < bytes.length && isBlank(bytes[at])) at++;
    if (at >= bytes.length) return words;
    const word = readWord(bytes, at);
    if (word === null) return null;
    words.push(Buffer.from(word.text, 'latin1').toString('utf8'));
    at = word.end;
  }
}

/** One word the way splitArgs() reads it back; plain where quoting is not needed. */
export function quoteArg(word: string): string {
  if (word !== '' && !/[\s"'\\\x00-\x1f\x7f]/.test(word) && !word.startsWith('#')) return word;
  const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b' };
  const escaped = word.replace(/["\\\x00-\x1f\x7f]/g, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return named[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

interface Word {
  readonly text: string;
  readonly end: number;
}

function readWord(line: string, start: number): Word | null {
  let text = '';
  let at = start;
  while (at < line.length && !isBlank(line[at])) {
    const char = line[at];
    if (char !== '"' && char !== "'") {
      text += char;
      at++;
      continue;
    }
    const quoted = char === '"' ? readDoubleQuoted(line, at + 1) : readSingleQuoted(line, at + 1);
    if (quoted === null) return null;
    if (quoted.end < line.length && !isBlank(line[quoted.end])) return null;
    return { text: text + quoted.text, end: quoted.end };
  }
  return { text, end: at };
}

function readDoubleQuoted(line: string, start: number): Word | null {
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line[at];
    if (char === '"') return { text, end: at + 1 };
    if (char !== '\\' || at + 1 >= line.length) {
      text += char;
      at++;
      continue;
    }
    const hex = /^\\x([0-9a-fA-F]{2})/.exec(line.slice(at, at + 4));
    if (hex !== null) {
      text += String.fromCharCode(Number.parseInt(hex[1] ?? '', 16));
      at += 4;
    } else {
      const next = line[at + 1] ?? '';
      text += escapes[next] ?? next;
      at += 2;
    }
  }
  return null;
}

function readSingleQuoted(line: string, start: number): Word | null {
  let text = '';
  let at = start;
  while (at < line.length) {
    if (line[at] === "'") return { text, end: at + 1 };
    if (line[at] === '\\' && line[at + 1] === "'") at++;
    text += line[at];
    at++;
  }
  return null;
}

function isBlank(char: string | undefined): boolean {
  return char !== undefined && /[ \t\n\v\f\r\0]/.test(char);
}
