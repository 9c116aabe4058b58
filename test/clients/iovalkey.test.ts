import type { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { ioredisSession } from './ioredis-session.ts';

ioredisSession('iovalkey', Valkey as unknown as typeof Redis, {});
