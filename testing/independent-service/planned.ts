import { failure, notFoundPage, success } from './replies.js';
import type { Call, Reply } from './types.js';
import type { World } from './world.js';

/** Planned paths below the version prefix; null when the path is not one of them. */
export const plannedReply = (world: World, call: Call): Reply | null => {
  const { flavour, broken } = world;
  const [a, b, c] = call.rest;
  const length = call.rest.length;
  const desk = length === 3 && a === 'deals' && c === 'desk';
  const calls = length === 1 && a === 'calls';
  const transcript = length === 3 && a === 'calls' && c === 'transcript';
  const dispatch = length === 2 && (a === 'assistant' || a === flavour.assistant) && b === 'dispatch';
  const funnel = length === 2 && a === 'reports' && b === 'funnel';
  if (!desk && !calls && !transcript && !dispatch && !funnel) return null;
  const { method } = call;

  if (broken('planned-second-form') && call.form === 'second')
    return { ...failure(flavour, 'not_found', 'not yet'), status: 503 };
  if (broken('planned-200-body-404')) return { ...failure(flavour, 'not_found', 'planned'), status: 200 };
  if (broken('planned-delete-405') && method === 'DELETE')
    return { ...failure(flavour, 'method', 'not allowed'), status: 405 };
  if (broken('planned-calls-live') && calls && method === 'GET') return success(200, { items: [] });
  if (broken('planned-dispatch-405') && dispatch)
    return method === 'POST'
      ? success(202, { accepted: true })
      : { ...failure(flavour, 'method', 'POST only'), status: 405 };
  if (broken('planned-dispatch-post') && dispatch && method === 'POST')
    return { ...failure(flavour, 'bad_request', 'message is required'), status: 400 };
  if (broken('planned-funnel-501') && funnel) return { ...failure(flavour, 'method', 'not implemented'), status: 501 };
  if (broken('planned-funnel-query') && funnel && method === 'GET' && call.query.size > 0)
    return success(200, { steps: [] });

  if (flavour.planned === 'html') return notFoundPage();
  if (flavour.planned === 'empty') return { status: 404 };
  return { status: 404, json: { ok: false, error: flavour.errors.body('not_found', 404, 'planned for Q3 2026', []) } };
};
