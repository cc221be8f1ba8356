/*
 * The steps of action.yml that need more than a shell. Plain JavaScript of Node.js, so that nothing has to be installed:
 * `run` runs the suite and writes the outputs of the action, `comment` writes the comment on the pull request.
 */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const { env } = process;
const modes = ['gate', 'certify', 'load'];

/** The outcome that an exit status reports; a status above 4 is that of a process that a signal ended. */
const outcomeOf = (status) =>
  ['conformant', 'nonconformant', 'invalid-settings', 'incomplete', 'suite-failure'][status] ?? 'interrupted';

/** Output → verdict in conformance.json. */
const counted = {
  passed: 'pass',
  failed: 'fail',
  warned: 'warn',
  waived: 'waived',
  blocked: 'blocked',
  'not-applicable': 'not-applicable',
  errors: 'error',
};

/** Shows a message on the page of the workflow run. */
function annotate(kind, title, text) {
  const escape = (one) => one.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.info(`::${kind} title=${escape(title)}::${escape(text)}`);
}

/** Sets outputs of the step. The random delimiter keeps a value with line ends from setting others. */
function setOutputs(outputs) {
  if (!env.GITHUB_OUTPUT) return;
  for (const [name, value] of Object.entries(outputs)) {
    const end = randomUUID();
    appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
  }
}

/** The settings of the suite: the environment of the step, and the inputs that are settings. */
function suiteEnvironment() {
  const passed = Object.entries(env).filter(([name]) => !name.startsWith('CONFORMANCE_'));
  const inputs = { BASE_URL: env.CONFORMANCE_BASE_URL, TENANT: env.CONFORMANCE_TENANT };
  return { ...Object.fromEntries(passed), ...Object.fromEntries(Object.entries(inputs).filter(([, value]) => value)) };
}

/** Runs the suite to its end, handing on signals; its exit status. */
function runSuite(args) {
  const main = join(env.RUNNER_TEMP, 'dealership-conformance/node_modules/dealership-conformance/dist/src/cli/main.js');
  const suite = spawn(process.execPath, [main, ...args], { stdio: 'inherit', env: suiteEnvironment() });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => suite.kill(signal));
  return new Promise((resolve, reject) => {
    suite.on('error', reject);
    suite.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** How many requirements got each verdict; nothing if this run, which began at `startedMs`, wrote no report. */
function readCounts(file, startedMs) {
  if (!existsSync(file) || statSync(file).mtimeMs < startedMs) return {};
  const { counts } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(Object.entries(counted).map(([output, verdict]) => [output, counts[verdict] ?? 0]));
}

async function run() {
  const { CONFORMANCE_MODE: mode, CONFORMANCE_OUT: out } = env;
  if (!modes.includes(mode)) {
    annotate('error', 'Wrong input', `mode is "${mode}": expected one of ${modes.join(', ')}.`);
    return setOutputs({ 'exit-code': 2, outcome: outcomeOf(2), 'report-path': out });
  }
  const flags = ['only', 'waivers', 'baseline'].flatMap((name) => {
    const value = env[`CONFORMANCE_${name.toUpperCase()}`];
    return value ? [`--${name}=${value}`] : [];
  });
  const further = (env.CONFORMANCE_ARGS ?? '').split(/\s+/).filter(Boolean);
  // File systems keep times with less precision than the clock has.
  const startedMs = Date.now() - 20;
  const status = await runSuite([mode, ...further, ...flags, `--out=${out}`]);
  const counts = mode === 'load' ? {} : readCounts(join(out, 'conformance.json'), startedMs);
  // A flag such as --help judges nothing, and nothing is not green.
  const isEmpty = status === 0 && mode !== 'load' && counts.passed === undefined;
  if (isEmpty) annotate('error', 'Nothing was judged', `args is "${env.CONFORMANCE_ARGS}": expected flags of a run.`);
  setOutputs({
    'exit-code': isEmpty ? 2 : status,
    outcome: outcomeOf(isEmpty ? 2 : status),
    'report-path': out,
    ...counts,
  });
}

/** Longest text that GitHub accepts as a comment, in characters. */
const longest = 65_536;

/** `text` with at most `most` characters: whole lines, with the code block and the details that are open at the cut closed. */
function cutMarkdown(text, most) {
  if (text.length <= most) return text;
  const note = '\n\n*The rest is left out here; the report has all.*\n';
  const kept = [];
  let [length, fence, details] = [0, '', 0];
  for (const line of text.split('\n')) {
    const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const nextFence = fence === '' ? marks : marks.startsWith(fence) ? '' : fence;
    const opened = fence === '' ? line.split('<details').length - line.split('</details>').length : 0;
    const closing = `\n${nextFence}${'\n</details>'.repeat(Math.max(0, details + opened))}${note}`;
    if (length + line.length + 1 + closing.length > most) break;
    kept.push(line);
    length += line.length + 1;
    [fence, details] = [nextFence, details + opened];
  }
  return `${kept.join('\n')}\n${fence}${'\n</details>'.repeat(Math.max(0, details))}${note}`;
}

/** The hidden line by which the comment for one target and one mode is found again. */
function markerOf(target, mode) {
  const id = createHash('sha256').update(`${mode}\n${target}`).digest('hex').slice(0, 16);
  return `<!-- dealership-conformance ${id} -->`;
}

function commentBody(marker, commit) {
  const { CONFORMANCE_MODE: mode, CONFORMANCE_OUT: out, CONFORMANCE_STATUS: status } = env;
  const page = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`;
  const footer = `\n\n<sub>\`${mode}\` of commit ${commit}: [log and report](${page})</sub>\n`;
  const file = join(out, 'conformance.md');
  // Without a count, this run wrote no report, and the file is an earlier one's.
  const text =
    env.CONFORMANCE_JUDGED && existsSync(file)
      ? readFileSync(file, 'utf8')
      : `### ${outcomeOf(status)}\n\n\`${mode}\` ended with status ${status} and wrote no summary. The log says why.`;
  return `${marker}\n${cutMarkdown(text, longest - marker.length - footer.length - 1)}${footer}`;
}

/** Sends one request to GitHub's API; throws an error with GitHub's words if it is refused. */
async function github(method, path, body) {
  const response = await fetch(`${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${env.CONFORMANCE_TOKEN}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const refused = response.status === 403 || response.status === 404;
  const remedy = refused ? ' Give the job "permissions: pull-requests: write", or set the input comment to false.' : '';
  throw new Error(
    `GitHub answered ${response.status} (${String(answer?.message ?? response.statusText).slice(0, 200)}).${remedy}`,
  );
}

/** Pages of comments to look through, of 100 each. */
const mostPages = 30;

/** The earlier comment of this bot that begins with the marker. */
async function findComment(number, marker) {
  for (let page = 1; page <= mostPages; page += 1) {
    const comments = await github('GET', `issues/${number}/comments?per_page=100&page=${page}`);
    if (!Array.isArray(comments)) throw new Error('GitHub answered with something else than a list of comments.');
    const found = comments.find(
      ({ body, user }) => user?.login === 'github-actions[bot]' && body?.startsWith(marker) === true,
    );
    if (found !== undefined || comments.length < 100) return found;
  }
  return undefined;
}

async function commentOnPull() {
  const { pull_request: pull } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
  if (!pull) return;
  if (pull.head?.repo?.full_name !== pull.base?.repo?.full_name)
    return annotate(
      'notice',
      'No comment',
      'The pull request comes from a fork, for which a workflow may only read. The summary of the job has the result.',
    );
  const marker = markerOf(env.CONFORMANCE_BASE_URL || env.BASE_URL || '', env.CONFORMANCE_MODE);
  const body = commentBody(marker, pull.head.sha);
  const earlier = await findComment(pull.number, marker);
  if (earlier === undefined) await github('POST', `issues/${pull.number}/comments`, { body });
  else await github('PATCH', `issues/comments/${earlier.id}`, { body });
}

/** A comment decides nothing: what keeps it from being written is a warning. */
async function comment() {
  try {
    await commentOnPull();
  } catch (error) {
    annotate('warning', 'No comment on the pull request', error instanceof Error ? error.message : String(error));
  }
}

await { run, comment }[process.argv[2]]();
