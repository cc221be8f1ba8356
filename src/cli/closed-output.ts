/** Error codes of a write to a closed pipe or terminal. */
const unread = ['EPIPE', 'EIO'];

/** Lets a command continue after its output was closed (`| head -1`): its reports and its exit status still count. */
export function goOnUnread(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!unread.includes(error.code ?? '')) throw error;
    });
  }
}
