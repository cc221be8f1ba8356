import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';

/**
 * Runs a program as a container does: first process of its own process namespace, on a root file system that is read-only but for one
 * folder, as a user that the system does not know, without HOME.
 */
const contained = `
mount -t tmpfs none /mnt
mkdir /mnt/app /mnt/out
mount --bind "$APP" /mnt/app
mount --bind "$OUT" /mnt/out
mount -o remount,ro /mnt
mount -t tmpfs -o ro none /tmp
mount -t tmpfs -o ro none /dev/shm
mount -o bind,remount,ro / /
cd /
exec env -i PATH="$PATH" NO_COLOR=1 setpriv --reuid=54321 --regid=54321 --clear-groups "$@"
`;

const namespaces = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child', 'bash', '-ec'];

/** Why no container can be imitated here; null where one can. */
export const whyNoContainer = ((): string | null => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'namespaces need Linux and its root user';
  const tried = spawnSync('unshare', [...namespaces, 'mount -t tmpfs none /mnt && setpriv --version'], {});
  return tried.status === 0 ? null : `unshare, mount or setpriv cannot be used: ${String(tried.stderr ?? tried.error)}`;
})();

/** Starts a program in an imitated container; `app` is seen as /mnt/app, and `out`, the folder that can be written to, as /mnt/out. */
export function startContained(folders: { readonly app: string; readonly out: string }, command: readonly string[]) {
  chmodSync(folders.out, 0o777);
  const child = spawn('unshare', [...namespaces, contained, 'contained', ...command], {
    env: { PATH: process.env['PATH'], APP: folders.app, OUT: folders.out },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<{ status: number | null; said: string }>((resolve) =>
    child.on('close', (status) => resolve({ status, said })),
  );
  /** Sends a signal to the first process of the container, as `docker stop` does. */
  const kill = (signal: NodeJS.Signals): void => {
    const pid = String(child.pid);
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')), signal);
  };
  return { ended, kill, said: () => said, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}
