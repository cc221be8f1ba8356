import { variantOptions } from './variant-options.js';
import { faults } from './faults/faults.js';

/** All faults by requirement and all options, as text for a console. */
export function describeReference(): string {
  const requirements = Array.from(new Set(faults.map((fault) => fault.requirement)));
  const width = Math.max(...faults.map((fault) => fault.id.length));
  const listed = requirements.flatMap((requirement) => {
    const own = faults.filter((fault) => fault.requirement === requirement);
    const notes = (fault: (typeof own)[number]): string => {
      const needs = Object.entries(fault.needs ?? {}).map(([name, value]) => `${name}=${value}`);
      const said = [
        ...(needs.length > 0 ? [`sets ${needs.join(', ')}`] : []),
        ...(fault.setting ? [`shows with ${fault.setting}`] : []),
      ];
      return said.length > 0 ? ` (${said.join('; ')})` : '';
    };
    return [requirement, ...own.map((fault) => `  ${fault.id.padEnd(width)}  ${fault.description}${notes(fault)}`)];
  });
  const optionLines = variantOptions.map(
    (option) =>
      `  ${option.name}=${option.values.join('|')}\n      ${option.description}; ordinarily ${option.default} (${option.protects}: ${option.because})`,
  );
  return [
    `Faults (${faults.length}), by the requirement that each breaks:`,
    ...listed,
    '',
    `Options (${variantOptions.length}), every value of which conforms:`,
    ...optionLines,
  ].join('\n');
}
