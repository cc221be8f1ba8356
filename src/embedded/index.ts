export { limitsOf, openTarget, type OpenTarget } from './open-target.js';
