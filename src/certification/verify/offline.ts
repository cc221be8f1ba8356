import { Socket } from 'node:net';

let guards = 0;
const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect');

function refuse(this: Socket): Socket {
  process.nextTick(() =>
    this.destroy(Object.assign(new Error('nothing is sent while a run is graded again'), { code: 'ECONNREFUSED' })),
  );
  return this;
}

/** Does something while no connection can be opened from this process: evidence from another party decides which requests a check would send, and where. */
export async function offline<T>(work: () => Promise<T>): Promise<T> {
  guards += 1;
  Object.defineProperty(Socket.prototype, 'connect', { configurable: true, writable: true, value: refuse });
  try {
    return await work();
  } finally {
    guards -= 1;
    if (guards === 0 && connect !== undefined) Object.defineProperty(Socket.prototype, 'connect', connect);
  }
}
