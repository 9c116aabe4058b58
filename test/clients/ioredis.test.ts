import { Redis } from 'ioredis';
import { ioredisSession } from './ioredis-session.ts';

ioredisSession('ioredis', Redis, { protocol: 2 });
