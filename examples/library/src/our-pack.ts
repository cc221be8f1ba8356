import { defineRequirement, type Pack } from 'dealership-conformance';

const fastLists = defineRequirement({
  id: 'OURS-01',
  level: 'SHOULD',
  source: 'our house rules, 1',
  title: 'a page of ten units is at most 20 kB long',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const exchange = await check.ask({ path: '/api/v1/units', query: [['limit', '10']] });
    const bytes = exchange.response.body.length;
    if (bytes > 20_000)
      check.fail({
        code: 'too-long',
        expected: 'at most 20,000 bytes',
        actual: `${bytes} bytes`,
        exchanges: [exchange],
      });
  },
});

/** A module that exports a pack by default can be named to the command as well: `--packs ./dist/our-pack.js`. */
const ourPack: Pack = {
  name: 'our house rules',
  sections: [{ id: 'OURS', title: 'House rules' }],
  requirements: [fastLists],
};

export default ourPack;
