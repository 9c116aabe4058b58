// CLIENT, HELLO, RESET, pipelines: what belongs to a connection.
import { notation } from '../helpers/resp.ts';
import { bulk, OK, pause, QUEUED, repeat, type WireCase } from './session.ts';

export const connections: readonly WireCase[] = [
  {
    name: 'CLIENT REPLY OFF, SKIP and ON in pipelines',
    run: async (s) => {
      const client = await s.on(1);
      client.send(
        'CLIENT REPLY SKIP',
        'SET a 1',
        'GET a',
        'CLIENT REPLY OFF',
        'SET a 2',
        'NOSUCH',
        'GET a',
        'CLIENT REPLY SKIP',
        'CLIENT REPLY ON',
        'GET a',
        'CLIENT REPLY SKIP',
        'PING',
        'ECHO end',
      );
      const replies = (await client.frames(4)).map((frame) => notation(frame)).join();
      if (replies !== '"1",+OK,"2","end"') throw new Error(replies);
      const more = await client.surprise(50);
      if (more !== null) throw new Error(more);
    },
  },
  {
    name: 'HELLO: fields, their types, and what switches',
    run: async (s) => {
      const map2 =
        new RegExp(
          '^\\["server", "redis", "version", "[\\d.]+", "proto", :2, "id", :\\d+, ' +
            '"mode", "standalone", "role", "master", "modules", \\[\\]\\]$',
        );
      const map3 =
        new RegExp(
          '^\\{"server": "redis", "version": "[\\d.]+", "proto": :3, "id": :\\d+, ' +
            '"mode": "standalone", "role": "master", "modules": \\[\\]\\}$',
        );
      await s.rows([
        ['HELLO', map2],
        ['GET none', 'nil'],
        ['HELLO 3', map3],
        ['HELLO', map3],
        ['GET none', 'null'],
        ['HELLO 4', '-NOPROTO unsupported protocol version'],
        ['GET none', 'null'],
        ['HELLO three', '-ERR Protocol version is not an integer or out of range'],
        ['HELLO 2 SETNAME me', map2],
        ['CLIENT GETNAME', '"me"'],
        ['HELLO 3 AUTH default', "-ERR Syntax error in HELLO option 'AUTH'"],
        ['GET none', 'nil'],
        ['RESET', '+RESET'],
        ['CLIENT GETNAME', 'nil'],
      ]);
    },
  },
  {
    name: 'types of RESP3',
    run: (s) =>
      s.rows(
        [
          ['GET none', 'null'],
          ['MGET none none', '[null, null]'],
          ['SET k v XX GET', 'null'],
          ['CONFIG GET maxmemory-samples', '{"maxmemory-samples": "5"}'],
          ['COMMAND INFO nosuch', '[null]'],
          ['COMMAND INFO get', /^\[\["get", :2, ~\[\+readonly, \+fast\]/],
          ['INFO server', /^=txt:"# Server\\r\\n/],
          ['CLIENT INFO', /^=txt:"id=\d+ /],
          ['CLIENT LIST', /^=txt:"id=\d+ /],
          ['LOLWUT', /^=txt:"/],
          ['DEBUG PROTOCOL double', ',3.141'],
          ['DEBUG PROTOCOL true', '#t'],
          ['DEBUG PROTOCOL bignum', '(1234567999999999999999999999999999999'],
          ['SET ab xaybz', OK],
          ['SET ac xayc', OK],
          ['LCS ab ac IDX', /^\{"matches": \[.*\], "len": :3\}$/],
          ['MULTI', OK],
          ['GET none', QUEUED],
          ['EXEC', '[null]'],
          ['WATCH ab', OK],
          ['SET ab 1', OK],
          ['MULTI', OK],
          ['EXEC', 'null'],
        ],
        'three',
        3,
      ),
  },
  {
    name: 'each connection has its own protocol, name and database',
    run: async (s) => {
      await s.rows(
        [
          ['CLIENT SETNAME one', OK],
          ['SELECT 1', OK],
          ['SET k one', OK],
        ],
        1,
      );
      await s.rows(
        [
          ['CLIENT SETNAME two', OK],
          ['HELLO 3', /^\{/],
          ['GET k', 'null'],
        ],
        2,
      );
      await s.rows(
        [
          ['CLIENT GETNAME', '"one"'],
          ['GET k', '"one"'],
          ['GET none', 'nil'],
        ],
        1,
      );
      await s.rows([['CLIENT LIST', /name=one .*\\n.*name=two |name=two .*\\n.*name=one /s]], 3);
    },
  },
  {
    name: 'CLIENT KILL by id, address and filters',
    run: async (s) => {
      for (const by of ['id', 'addr', 'laddr'] as const) {
        const victim = await s.on(`victim ${by}`);
        const text = await victim.call('CLIENT INFO');
        const value = new RegExp(`\\b${by}=(\\S+)`).exec(text)?.[1] ?? '';
        const filter =
          by === 'laddr' ? ['LADDR', value, 'ID', /\bid=(\d+)/.exec(text)?.[1] ?? ''] : [by, value];
        await s.rows([[['CLIENT', 'KILL', ...filter], ':1']], 'killer');
        await victim.closed;
      }
      const old = await s.on('old form');
      const address = /addr=(\S+)/.exec(await old.call('CLIENT INFO'))?.[1] ?? '';
      await s.rows(
        [
          [['CLIENT', 'KILL', address], OK],
          ['CLIENT KILL 1.2.3.4:5', '-ERR No such client'],
          ['CLIENT KILL ID 999999999', ':0'],
          ['PING', '+PONG'],
        ],
        'killer',
      );
      await old.closed;
    },
  },
  {
    name: 'the library that a client names survives RESET',
    since72: true,
    run: (s) =>
      s.rows([
        ['CLIENT SETINFO LIB-NAME mine', OK],
        ['CLIENT SETINFO lib-ver 2.0', OK],
        [['CLIENT', 'SETINFO', 'lib-name', 'a b'], /^-ERR lib-name cannot contain spaces/],
        ['CLIENT SETINFO shape round', "-ERR Unrecognized option 'shape'"],
        ['CLIENT SETNAME n', OK],
        ['RESET', '+RESET'],
        ['CLIENT INFO', / name= .*lib-name=mine lib-ver=2\.0/],
        ['CLIENT NO-TOUCH ON', OK],
      ]),
  },
  {
    name: 'a deep pipeline over the keys of all shards keeps its order',
    run: async (s) => {
      const client = await s.on(1);
      const count = 10_000;
      client.send(...repeat(count, (i) => ['SET', `k:${i % 500}`, `${i}`]));
      await client.frames(count);
      client.send(...repeat(count, (i) => (i % 3 === 0 ? 'INCR total' : ['ECHO', `${i}`])));
      (await client.frames(count)).forEach((frame, i) => {
        const wanted = i % 3 === 0 ? `:${i / 3 + 1}` : bulk(`${i}`);
        if (notation(frame) !== wanted) throw new Error(`reply ${i}: ${notation(frame)}`);
      });
    },
  },
  {
    name: 'errors, multi-key commands and PING within a pipeline, QUIT at its end',
    run: async (s) => {
      const client = await s.on(1);
      client.send(
        'MSET a 1 b 2 c 3',
        'INCR a',
        'NOSUCH',
        'GET',
        'MGET a b c',
        'PING',
        'DEL a b c',
        'EXISTS a b c',
        'QUIT',
        'SET late 1',
      );
      const replies = (await client.untilClosed()).map((frame) => notation(frame));
      const [, , unknown, arity, ...rest] = replies;
      const right = rest.join() === '["2", "2", "3"],+PONG,:3,:0,+OK';
      if (!right || !unknown?.startsWith('-ERR') || !arity?.startsWith('-ERR'))
        throw new Error(replies.join('\n'));
      await s.rows([['EXISTS late', ':0']], 2);
    },
  },
  {
    name: 'a client that reads late gets everything',
    run: async (s) => {
      await s.rows([[['SET', 'big', '0123456789'.repeat(5000)], OK]]);
      const client = await s.on('late');
      client.pause();
      client.send(...repeat(200, () => 'GET big'), 'PING');
      await pause(200);
      await s.rows([['PING', '+PONG']], 'other');
      client.resume();
      const frames = await client.frames(201);
      if (!frames.slice(0, 200).every((frame) => frame.length === 50_010))
        throw new Error('cut short');
    },
  },
  {
    name: 'a client that half-closes gets what it asked for',
    run: async (s) => {
      const client = await s.on('half');
      client.send('SET k v', 'GET k');
      client.finish();
      const replies = (await client.untilClosed()).map((frame) => notation(frame)).join();
      if (replies !== '+OK,"v"') throw new Error(replies);
    },
  },
  {
    name: 'connections that come and go are all counted out',
    run: async (s) => {
      const before = await s.info('clients', 'connected_clients');
      for (let i = 0; i < 5; i++) {
        const some = await Promise.all(repeat(40, () => s.server.connect()));
        await Promise.all(some.map((client) => client.call('PING')));
        await Promise.all(some.map((client, n) => (n % 2 === 0 ? client.close() : client.reset())));
      }
      for (let i = 0; i < 50 && (await s.info('clients', 'connected_clients')) !== before; i++)
        await pause(50);
      const after = await s.info('clients', 'connected_clients');
      if (after !== before) throw new Error(`${before} clients before, ${after} after`);
    },
  },
];
