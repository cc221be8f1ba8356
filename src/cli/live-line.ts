import { createActivity } from '../http/index.js';
import { type ConsoleStream, safe } from '../reports/index.js';

/** How often the line is written on a terminal, and elsewhere; shorter work is not shown on a terminal. */
const terminalMs = 1_000;
const logMs = 10_000;
const briefMs = 2_000;

/** `02:05`, `1:02:05`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (number: number): string => String(number).padStart(2, '0');
  const rest = `${two(Math.floor((whole % 3_600) / 60))}:${two(whole % 60)}`;
  return whole < 3_600 ? rest : `${Math.floor(whole / 3_600)}:${rest}`;
}

/** Shows how long a run lasts, what it waits for, and how many requests it has sent: rewrites one line of a terminal while a piece of work takes long; writes a line every ten seconds elsewhere. Silent where `quiet`. */
export function liveLine(
  stream: ConsoleStream,
  quiet = false,
  timer: { every: typeof setInterval; now: () => number } = { every: setInterval, now: () => performance.now() },
) {
  const isTerminal = stream.isTTY === true;
  const startedMs = timer.now();
  let work = { name: '', about: '', sinceMs: startedMs };
  let isOpen = false;
  const clear = (): void => {
    if (isOpen) stream.write('\r\x1b[2K');
    isOpen = false;
  };
  const activity = createActivity((line) => {
    clear();
    if (!quiet) stream.write(`${line}\n`);
  });
  const tick = (): void => {
    const { now, requests, refusals } = activity;
    const nowMs = timer.now();
    if (isTerminal && nowMs - work.sinceMs < briefMs) return;
    const sent =
      work.name === '' ? '' : `${requests.toLocaleString('en')} requests, ${refusals.toLocaleString('en')} refused  `;
    const lineOf = (shown: number): string => {
      const rest = shown < now.length ? [`and ${now.length - shown} more`] : [];
      const doing = now.length > 0 ? [...now.slice(0, shown), ...rest].join('; ') : work.about;
      return `  ${clock((nowMs - startedMs) / 1000)}  ${sent}${safe(`${work.name} ${doing}`.trim(), 400)}`;
    };
    const width = (stream.columns ?? 80) - 1;
    let shown = now.length;
    while (isTerminal && shown > 1 && lineOf(shown).length > width) shown -= 1;
    stream.write(isTerminal ? `\r\x1b[2K${lineOf(shown).slice(0, width)}` : `${lineOf(shown)}\n`);
    isOpen = isTerminal;
  };
  const ticking = quiet ? null : timer.every(tick, isTerminal ? terminalMs : logMs);
  ticking?.unref();
  return {
    activity,
    /** Names the work that begins, or '' for work that sends nothing; `about` is shown while the work waits for nothing in particular. */
    begin: (name: string, about = ''): void => void (work = { name, about, sinceMs: timer.now() }),
    end(): void {
      if (ticking !== null) clearInterval(ticking);
      clear();
    },
  };
}

export type LiveLine = ReturnType<typeof liveLine>;
