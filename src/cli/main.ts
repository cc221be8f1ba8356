#!/usr/bin/env node
import { visible } from '../visible.js';
import { SettingsError } from '../settings/index.js';

// A command whose output was closed (`| head -1`) continues: its reports and its exit status still count.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
/** What loading the suite and a few connections take. */
const fewestFiles = 128;

/** The number of files that this process may have open at a time. */
function openFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return Number(userLimits?.open_files?.soft);
}

try {
  // Loaded here, as this fails where too few files may be open.
  const { runCommand } = await import('./run-command.js');
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (error instanceof SettingsError) {
    // A sentence may quote a file of another party.
    process.stderr.write(`${error.message.split('\n').map(visible).join('\n')}\n`);
    process.exitCode = 2;
  } else if (openFiles() < fewestFiles) {
    process.stderr.write(
      `This process may open only ${openFiles()} files and connections at a time: raise that limit (ulimit -n 1024) and run it again.\n`,
    );
    process.exitCode = 2;
  } else {
    const said = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `The suite itself failed: ${visible(said.split('\n')[0] ?? '')}. Set DEBUG=1 to see where, and please report it.\n`,
    );
    if (process.env['DEBUG']) process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : ''}\n`);
    process.exitCode = 4;
  }
}
