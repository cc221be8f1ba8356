export { certifyRecorded } from './certify-receiver.js';
export { reportDeliveries, wasPromised } from './judge/judge-run.js';
