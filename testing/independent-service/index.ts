export { breachList } from './breach-list.js';
export { flavours } from './flavours.js';
export { startIndependentService } from './server.js';
