import { Redis } from 'ioredis';
import { ioredisSession } from './ioredis-session.ts';

ioredisSession('ioredis over RESP3', Redis, { protocol: 3 });
