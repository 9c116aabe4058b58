// INFO as numbers.

/** Numeric fields of INFO by name; `db0_keys`, `db0_expires`, … for the keyspace section. */
export type ServerStats = Readonly<Record<string, number>>;

export function parseInfo(text: string): ServerStats {
  const stats: Record<string, number> = {};
  const add = (name: string, value: string): void => {
    const plain = value.endsWith('%') ? value.slice(0, -1) : value;
    if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(plain)) stats[name] = Number(plain);
  };
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon <= 0 || line.startsWith('#')) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1);
    if (!value.includes('=')) {
      add(name, value);
      continue;
    }
    // cmdstat_get:calls=2,usec=10,… and db0:keys=1,expires=0,…
    for (const pair of value.split(',')) {
      const equals = pair.indexOf('=');
      if (equals > 0) add(`${name}_${pair.slice(0, equals)}`, pair.slice(equals + 1));
    }
  }
  return stats;
}
