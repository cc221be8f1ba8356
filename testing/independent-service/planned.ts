import { failure, notFoundPage, success, type Call, type Reply, type World } from './world.js';

/** The planned path that a call is for, below the version prefix; null when it is for none of them. */
const plannedPath = ({ flavour }: World, { rest: [a, b, c, ...more] }: Call): string | null => {
  if (more.length > 0) return null;
  if (a === 'deals' && b !== undefined && c === 'desk') return 'desk';
  if (a === 'calls') return b === undefined ? 'calls' : c === 'transcript' ? 'transcript' : null;
  if (c !== undefined) return null;
  if ((a === 'assistant' || a === flavour.assistant) && b === 'dispatch') return 'dispatch';
  return a === 'reports' && b === 'funnel' ? 'funnel' : null;
};

/** What a planned path answers; null when the path is not one of them. */
export const plannedReply = (world: World, call: Call): Reply | null => {
  const { flavour, broken } = world;
  const { method, form, query } = call;
  const path = plannedPath(world, call);
  if (path === null) return null;
  const at = (status: number): Reply => ({ ...failure(flavour, 'not_found', 'planned for Q3 2026'), status });

  if (broken('planned-second-form') && form === 'second') return at(503);
  if (broken('planned-200-body-404')) return at(200);
  if (broken('planned-delete-405') && method === 'DELETE') return at(405);
  if (broken('planned-calls-live') && path === 'calls' && method === 'GET') return success(200, { items: [] });
  if (broken('planned-dispatch-405') && path === 'dispatch')
    return method === 'POST' ? success(202, { accepted: true }) : at(405);
  if (broken('planned-dispatch-post') && path === 'dispatch' && method === 'POST') return at(400);
  if (broken('planned-funnel-501') && path === 'funnel') return at(501);
  if (broken('planned-funnel-query') && path === 'funnel' && method === 'GET' && query.size > 0)
    return success(200, { steps: [] });

  return { html: notFoundPage(), empty: { status: 404 }, envelope: at(404) }[flavour.errors.planned];
};
