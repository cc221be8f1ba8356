import { expect, test } from '@playwright/test';
import { commands, ownFlags } from './arguments.js';
import { help } from './help.js';

test('the help of a command shows that command with each of its flags, and no help is wider than 80 columns', () => {
  for (const command of ['', ...commands]) {
    const text = help(command);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    if (command === '') for (const name of commands) expect(text).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    else expect(text).toContain(`dealership-conformance ${command}`);
    const hidden = ['embedded-if-unset'];
    for (const flag of ownFlags(command)) if (!hidden.includes(flag)) expect(text).toMatch(new RegExp(`--${flag}\\b`));
  }
  expect(help('gate')).not.toContain('--bundle');
  expect(help('gate').split('\n').length).toBeLessThan(35);
});
