/** Copies the code beside a button: for the pages that have such buttons. */
export const copyScript = `
'use strict';
for (const button of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.closest('.command').querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}
`;

/** The report's script: filter, search, unfolding. The page says everything without it. It makes no markup from text. */
export const pageScript = `
'use strict';
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const tools = one('.tools');
  const search = one('#search');
  const status = one('#shown');
  const unfold = one('#unfold');
  const requirements = all('.requirement');
  const words = new Map(requirements.map((item) => [item, (one('summary', item).textContent + ' ' + (one('.contrast, .reason', item)?.textContent ?? '')).toLowerCase()]));
  const apply = () => {
    const verdict = one('input[name=verdict]:checked').value;
    const sought = search.value.trim().toLowerCase();
    let count = 0;
    for (const item of requirements) {
      item.hidden = !((verdict === 'all' || item.dataset.verdict === verdict) && words.get(item).includes(sought));
      if (!item.hidden) count += 1;
    }
    const isFiltered = verdict !== 'all' || sought !== '';
    for (const rest of all('.section .rest')) {
      if (one('.requirement', rest) === null) continue;
      rest.hidden = all('.requirement:not([hidden])', rest).length === 0;
      rest.open = isFiltered;
    }
    for (const section of all('.section')) section.hidden = all('.requirement:not([hidden])', section).length === 0;
    status.textContent = count + ' of ' + requirements.length + ' shown';
  };
  const reveal = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (target === null) return;
    const item = target.closest('.requirement');
    if (item === null) return;
    if (item.hidden) {
      one('input[name=verdict][value=all]').checked = true;
      search.value = '';
      apply();
    }
    for (let at = target; at !== null && at !== document.body; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    one('details', item).open = true;
    target.scrollIntoView();
    const focus = target.tagName === 'DETAILS' ? one('summary', target) : one('summary', item);
    focus.focus({ preventScroll: true });
  };
  for (const input of all('input[name=verdict]')) input.addEventListener('change', apply);
  search.addEventListener('input', apply);
  search.addEventListener('keydown', (event) => { if (event.key === 'Escape') { search.value = ''; apply(); } });
  unfold.addEventListener('click', () => {
    const open = unfold.getAttribute('aria-pressed') !== 'true';
    unfold.setAttribute('aria-pressed', String(open));
    for (const item of requirements) one('details', item).open = open;
    for (const rest of all('.rest')) rest.open = open;
  });
  window.addEventListener('hashchange', reveal);
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link !== null && link.getAttribute('href') === location.hash) reveal();
  });
  tools.hidden = false;
  apply();
  if (location.hash !== '') reveal();
})();
`;
