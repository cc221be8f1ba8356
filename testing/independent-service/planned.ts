import { failure, notFoundPage, success, type Call, type Reply, type World } from './world.js';

/** What a planned path answers; null where a call is for none. */
export const plannedReply = ({ flavour, broken }: World, { method, query, rest }: Call): Reply | null => {
  const path = rest.map(encodeURIComponent).join('/');
  const dispatch = `(?:assistant|${flavour.assistant})/dispatch`;
  const paths = `^(?:deals/[^/]*/desk|calls(?:/[^/]*/transcript)?|${dispatch}|reports/funnel)$`;
  if (!new RegExp(paths).test(path)) return null;
  const at = (status: number): Reply => ({ ...failure(flavour, 'not_found', 'planned for Q3 2026'), status });

  if (broken('planned-200-body-404')) return at(200);
  if (broken('planned-delete-405') && method === 'DELETE') return at(405);
  if (broken('planned-dispatch-post') && path.endsWith('/dispatch') && method === 'POST') return at(400);
  if (broken('planned-funnel-query') && path === 'reports/funnel' && method === 'GET' && query.size > 0)
    return success(200, { steps: [] });

  return { html: notFoundPage(), empty: { status: 404 }, envelope: at(404) }[flavour.errors.planned];
};
