export { flavours } from './flavours.js';
export { startStranger } from './server.js';
