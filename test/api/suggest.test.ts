import test from 'ava';
import { didYouMean, suggest } from '../../src/config/load-suggest.ts';

const known = ['port', 'bind', 'maxmemory', 'maxmemory-policy', 'maxclients', 'io-driver']
  .concat('shards');

test('slips find what was meant', (t) => {
  const cases: [string, string][] = [
    ['prot', 'port'],
    ['portt', 'port'],
    ['maxmemroy', 'maxmemory'],
    ['max-memory', 'maxmemory'],
    ['maxMemoryPolicy', 'maxmemory-policy'],
    ['iodriver', 'io-driver'],
    ['shard', 'shards'],
    ['maxmem', 'maxmemory'],
    ['SHARDS_', 'shards'],
  ];
  for (const [name, meant] of cases) t.is(suggest(name, known), meant, name);
  t.is(didYouMean('prot', known), " Did you mean 'port'?");
});

test('another word finds nothing', (t) => {
  for (const name of ['', 'x', 'tls-cert-file', 'replicaof', 'home']) {
    t.is(suggest(name, known), undefined, name);
  }
  t.is(didYouMean('replicaof', known), '');
});
