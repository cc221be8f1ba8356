export { readSettings } from './read-settings.js';
