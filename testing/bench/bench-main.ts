import { bench } from './bench.js';

process.stdout.write(await bench());
