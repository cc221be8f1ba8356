export { breachList, type Breach } from './breaches.js';
export { flavours } from './flavours.js';
export { startIndependentService } from './server.js';
