import { differentialSuite } from './suite.ts';

differentialSuite('epoll');
