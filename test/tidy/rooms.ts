// The table of rooms, read from ARCHITECTURE.md: the page people read is the rule that is checked.
import { read } from './tree.ts';

export interface Room {
  readonly level: number;
  readonly name: string;
  readonly mayInclude: ReadonlySet<string>;
}

/** One row: | level | `room/` | what belongs there | may include | */
const ROW = /^\|\s*(\d+)\s*\|\s*`([a-z]+)\/`\s*\|.*\|\s*([^|]*?)\s*\|\s*$/;

export function parseRooms(page: string): ReadonlyMap<string, Room> {
  const rows = page.split('\n').flatMap((line) => {
    const [, level, name, may] = ROW.exec(line) ?? [];
    return level && name ? [{ level: Number(level), name, may: may ?? '' }] : [];
  });
  const names = (text: string): string[] => text.match(/[a-z]+/g) ?? [];
  return new Map(
    rows.map(({ level, name, may }) => {
      // "all below but io, net": every room of a lower level without those named after "but".
      const [all, except] = /^all below(?: but (.*))?$/.exec(may) ?? [];
      const below = rows.filter((row) => row.level < level).map((row) => row.name);
      const excepted = names(except ?? '');
      const allowed = all ? below.filter((room) => !excepted.includes(room)) : names(may);
      return [name, { level, name, mayInclude: new Set(allowed) }];
    }),
  );
}

export const ROOMS = parseRooms(read('ARCHITECTURE.md'));
