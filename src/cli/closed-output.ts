/** What a write says when nobody reads any longer: the other end of the pipe, or the terminal, is gone. */
const unread = ['EPIPE', 'EIO'];

/** Lets a command continue after its output was closed (`| head -1`): its reports and its exit status still count. */
export function goOnUnread(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!unread.includes(error.code ?? '')) throw error;
    });
  }
}
