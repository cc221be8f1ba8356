import { levelMeanings } from './explain-source.js';
import { isNeed } from './needs.js';
import type { Pack } from './pack.js';
import { defineRequirement, type RequirementDefinition } from './requirement.js';

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The error in a member of a requirement, by its name. */
const members: Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, expected: string]>> = {
  id: [(value) => isText(value) && /^[A-Z]+-\d+$/.test(value), 'an id such as OURS-01'],
  level: [(value) => Object.keys(levelMeanings).includes(String(value)), Object.keys(levelMeanings).join(', ')],
  source: [isText, 'the rule that demands it'],
  title: [isText, 'one sentence'],
  needs: [
    (value) => value === undefined || (Array.isArray(value) && value.every(isNeed)),
    'names of settings that hold keys, or of what else a requirement can need',
  ],
  body: [(value) => typeof value === 'function', 'a function'],
};

/** A level of a certificate in letters that a badge and `--require` can show; the names are those of the suite's own levels. */
const isLevel = (level: unknown): boolean =>
  isText(level) &&
  level.length <= 40 &&
  /^[A-Z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*$/.test(level) &&
  !/^(?:core|demo|webhooks|limits)$/i.test(level);

/** A pack as somebody else wrote it, completed. Throws with one sentence where it is none. */
export function readPack(value: unknown): Pack {
  const pack = (value ?? {}) as Partial<Pack>;
  if (!isText(pack.name) || !Array.isArray(pack.sections) || !Array.isArray(pack.requirements))
    throw new Error('a pack has a name, sections and requirements');
  if (pack.version !== undefined && !isText(pack.version)) throw new Error('the version of a pack is a text');
  for (const { id, title, level } of pack.sections as Pack['sections']) {
    if (!/^[A-Z]+$/.test(id) || !isText(title)) throw new Error('a section has an id such as OURS and a title');
    if (level !== undefined && !isLevel(level))
      throw new Error(
        `level of the section ${id} is "${level}": expected words such as Region North, not the name of a level of the suite`,
      );
  }
  const requirements = (pack.requirements as RequirementDefinition[]).map((one) => {
    for (const [name, [isRight, expected]] of Object.entries(members))
      if (!isRight(one[name as keyof RequirementDefinition]))
        throw new Error(
          `${name} of the requirement ${one.id} is ${String(one[name as keyof RequirementDefinition])}: expected ${expected}`,
        );
    return defineRequirement(one);
  });
  const version = pack.version === undefined ? {} : { version: pack.version };
  return { name: pack.name, ...version, sections: pack.sections as Pack['sections'], requirements };
}
