import { expect, test } from '@playwright/test';
import { loadPacks } from './packs.js';
import { joinPacks } from './requirement/pack.js';
import { defineRequirement } from './requirement/requirement.js';

test('every section has a requirement', async () => {
  const { requirements, sections } = await loadPacks();
  expect(sections.filter(({ id }) => !requirements.some(({ section }) => section === id))).toEqual([]);
});

test('the envelope is judged last, over every answer of a run', async () => {
  const { requirements } = await loadPacks();
  const first = requirements.findIndex(({ section }) => section === 'ENV');
  expect(requirements.slice(first).every(({ section }) => section === 'ENV')).toBe(true);
});

test('an id, and a section, belongs to one pack alone', () => {
  const one = defineRequirement({ id: 'OUR-01', level: 'MUST', source: 'us', title: 'It holds', body: async () => {} });
  const pack = { name: 'ours', sections: [{ id: 'OUR', title: 'Ours' }], requirements: [one] };
  expect(joinPacks([pack]).requirements).toEqual([one]);
  expect(() => joinPacks([pack, { ...pack, name: 'theirs', sections: [] }])).toThrow(
    /requirement OUR-01 .*ours, theirs/,
  );
  expect(() => joinPacks([pack, { ...pack, requirements: [] }])).toThrow(/section OUR/);
  expect(() => joinPacks([pack, { name: 'ours', sections: [], requirements: [] }])).toThrow(
    /pack ours is defined twice/,
  );
  expect(() => joinPacks([{ ...pack, sections: [] }])).toThrow(/OUR-01 belongs to no section/);
});
