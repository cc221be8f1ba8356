export { breachList } from './breaches/breach-list.js';
export { flavours } from './flavours/flavours.js';
export { startIndependentService } from './server.js';
