import {
  announcedEnds,
  bothFormsShow,
  defineRequirement,
  explainRefusals,
  isSuccessWithData,
  itemsIn,
  otherForms,
  readPage,
  toSet,
} from '../src/suite.js';

export const VER_01 = defineRequirement({
  id: 'VER-01',
  level: 'MUST',
  source: '§9, §4',
  title: 'the version is in the path, and {api_base_url}/v1/… shows the same resources',
  control: explainRefusals,
  long: true,
  needs: ['API_KEY'],
  partWithout: 'API_BASE_URL',
  body: async ({ check }) => {
    const first = (await readPage(check, { limit: 50 })).exchange;
    check.expect(first, isSuccessWithData);
    if (otherForms(check.target).length === 0) {
      check.observe('Does {api_base_url}/v1/… show the same resources?', 'not judged', {
        remedy: toSet('API_BASE_URL'),
      });
      return null;
    }
    return undefined;
  },
  rows: bothFormsShow,
});

export const VER_02 = defineRequirement({
  id: 'VER-02',
  level: 'OBSERVE',
  source: '§9',
  title: 'an unknown version is not served as v1',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    for (const version of ['v2', 'v0']) {
      const exchange = await check.ask({ path: `/api/${version}/units`, surface: 'other', as: 'API_KEY' });
      const served = itemsIn(exchange) !== null;
      check.observe(
        `What does /api/${version}/units answer?`,
        served ? `${exchange.response.status} with a unit list` : String(exchange.response.status),
      );
    }
    const announced = announcedEnds(await check.run.exchanges());
    if (announced.length > 0)
      check.observe('What is announced as deprecated (RFC 9745) or to end (RFC 8594)?', announced.join('; '));
  },
});
