// Bytes that no client library sends, compared with redis-server: inline commands, odd framing,
// protocol errors. Each is sent on a connection of its own, after a SET of `seen` to 1.

export interface RawCase {
  readonly name: string;
  readonly bytes: string | Buffer;
  /** The server closes while it waits for more: what is sent behind would change its answer. */
  readonly closes?: true;
}

const PING = '*1\r\n$4\r\nPING\r\n';

const inline: readonly RawCase[] = [
  { name: 'inline', bytes: 'PING\r\nping hello\r\nGET seen\r\nSET a 5\r\nINCR a\r\n' },
  { name: 'inline, lines end in LF alone', bytes: 'PING\nECHO a\nECHO b\r\nPING\n' },
  { name: 'blank lines', bytes: '\r\n\n   \r\n\t\r\nPING\r\n\r\n' },
  { name: 'blanks around words', bytes: '  ECHO \t hello  \r\n\tPING\t\r\nECHO\x0bx\x0cy\r\n' },
  { name: 'CR within a line', bytes: 'ECHO a\rb\r\nECHO a\r\r\n' },
  {
    name: 'double quotes',
    bytes: 'ECHO "a b"\r\nECHO ""\r\nECHO "a\\"b\\\\c\\n\\r\\t\\b\\a\\q"\r\n',
  },
  { name: 'hex escapes', bytes: 'ECHO "\\x41\\x0a\\xFf\\x4"\r\nECHO "\\xzz"\r\nECHO "\\X41"\r\n' },
  { name: 'single quotes', bytes: "ECHO 'a b'\r\nECHO ''\r\nECHO 'it\\'s'\r\nECHO 'a\\nb\"'\r\n" },
  { name: 'quotes within words', bytes: 'ECHO a"b c"\r\nPING\r\n' },
  { name: 'a quote at the end of a word', bytes: 'ECHO a"b"\r\nECHO a\'b\'\r\n' },
  { name: 'text behind a quoted word', bytes: 'ECHO "a"b\r\nPING\r\n' },
  { name: 'text behind a word in single quotes', bytes: "ECHO 'a'b\r\nPING\r\n" },
  { name: 'unbalanced double quotes', bytes: 'PING\r\nECHO "abc\r\nPING\r\n' },
  { name: 'unbalanced single quotes', bytes: "ECHO 'abc\r\nPING\r\n" },
  { name: 'a lone quote', bytes: '"\r\nPING\r\n' },
  { name: 'an escape at the end', bytes: 'ECHO "abc\\\r\nPING\r\n' },
  // A zero byte is left out: redis-server waits for the end of that line for ever.
  { name: 'an empty quoted name', bytes: '""\r\n"" x\r\nPING\r\n' },
  { name: 'unknown inline commands', bytes: 'nosuch\r\nNOSUCH a "b c" d\r\nGET\r\nHELO there\r\n' },
  { name: 'HTTP', bytes: 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { name: 'a Host: line', bytes: 'Host: x\r\n', closes: true },
  { name: 'post in lower case', bytes: 'post / http\r\nPING\r\n' },
  { name: 'an inline command as long as it may be', bytes: `ECHO ${'x'.repeat(65000)}\r\n` },
  { name: 'a line without an end', bytes: 'x'.repeat(70000), closes: true },
  { name: 'an array header without an end', bytes: `*${'1'.repeat(70000)}`, closes: true },
  { name: 'a bulk header without an end', bytes: `*1\r\n$${'1'.repeat(70000)}`, closes: true },
  { name: 'inline within MULTI', bytes: 'MULTI\r\nSET a 1\r\n\r\nGET a\r\nEXEC\r\n' },
];

const framing: readonly RawCase[] = [
  { name: 'both kinds in turn', bytes: `${PING}PING\r\n${PING}\r\nPING\r\n` },
  { name: 'empty arrays', bytes: `*0\r\n*-1\r\n*-5\r\n${PING}` },
  { name: 'an argument that is empty', bytes: '*2\r\n$4\r\nECHO\r\n$0\r\n\r\n' },
  { name: 'an empty name', bytes: `*1\r\n$0\r\n\r\n*2\r\n$0\r\n\r\n$1\r\nx\r\n${PING}` },
  { name: 'arguments that look like framing', bytes: '*2\r\n$4\r\nECHO\r\n$8\r\n*1\r\n$4\r\n\r\n' },
  { name: 'binary names', bytes: `*1\r\n$5\r\n\x01\xff\r\n\r\n${PING}` },
  {
    name: 'other bytes in the place of CR LF',
    bytes: '*2\r\n$4\r\nECHOxx$2\r\nabyy*1\r\n$4\r\nPINGzz',
  },
  { name: 'a long unknown name', bytes: `*1\r\n$200\r\n${'n'.repeat(200)}\r\n${PING}` },
  {
    name: 'many arguments of an unknown command',
    bytes: `*60\r\n${'$6\r\nnosuch\r\n'.repeat(60)}${PING}`,
  },
  {
    name: 'an unknown command with a long argument and line ends',
    bytes: `*3\r\n$1\r\nx\r\n$200\r\n${'a'.repeat(200)}\r\n$6\r\na\r\nb\r\n\r\n${PING}`,
  },
];

/** Headers that are refused; what came before is answered. */
const HEADERS = [
  '*x\r\n',
  '*\r\n',
  '*1x\r\n',
  '* 1\r\n',
  '*+1\r\n',
  '*01\r\n',
  '*1.0\r\n',
  '*2147483648\r\n',
  '*1048577\r\n',
  '*9223372036854775808\r\n',
  '*99999999999999999999\r\n',
  '*-\r\n',
  '*--1\r\n',
  `*${'1'.repeat(40)}\r\n`,
  '*1\r\n@4\r\n',
  '*1\r\n:4\r\n',
  '*1\r\n*1\r\n',
  '*1\r\nPING\r\n',
  '*1\r\n\r\n',
  '*1\r\n$x\r\n',
  '*1\r\n$\r\n',
  '*1\r\n$-1\r\n',
  '*1\r\n$-2\r\n',
  '*1\r\n$ 4\r\n',
  '*1\r\n$+4\r\n',
  '*1\r\n$04\r\n',
  '*1\r\n$4x\r\n',
  '*1\r\n$536870913\r\n',
  '*1\r\n$9223372036854775807\r\n',
  '*1\r\n$9223372036854775808\r\n',
  '*2\r\n$3\r\nGET\r\n$-1\r\n',
  '*2\r\n$3\r\nGET\r\n@',
  '*1\r\n\x80\r\n',
  '*1\r\n\r\n',
  '*1\r\n"4\r\n',
];

const refused = HEADERS.map((header, i): RawCase => ({
  name: `header ${i}: ${JSON.stringify(header.slice(0, 30))}`,
  bytes: Buffer.from(`${PING}${header}${PING}`, 'latin1'),
}));

export const rawCases: readonly RawCase[] = [...inline, ...framing, ...refused];
