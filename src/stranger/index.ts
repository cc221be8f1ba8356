export { breaches } from './breaches.js';
export { flavours } from './flavours.js';
export { startStranger } from './server.js';
