export { openTarget, type OpenTarget } from './open-target.js';
