/** What a write says when nobody reads any longer: the other end of the pipe, or the terminal, is gone. */
const unread = ['EPIPE', 'EIO'];

/** Lets a command whose output nobody reads any longer (`| head -1`) go on: its reports and its exit status are still wanted. */
export function goOnUnread(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!unread.includes(error.code ?? '')) throw error;
    });
  }
}
