import { bench } from './bench.js';

const began = performance.now();
const table = await bench(undefined, (doing) => process.stderr.write(`${doing}…\n`));
process.stdout.write(`${table}\n`);
process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`);
