export { settleSharedValues } from './shared.js';
