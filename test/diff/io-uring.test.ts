import { differentialSuite } from './suite.ts';

differentialSuite('io_uring');
