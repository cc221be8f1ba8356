/**
 * Requirements that may be not applicable without withholding a level: they judge things that the service or the certifier may leave out.
 * Requirements of level OBSERVE demand nothing and need no entry.
 */
export const optionalRows: Readonly<Record<string, string>> = {
  'DOC-03': 'it follows references, and the document holds none',
  'DOC-05': 'it compiles schemas, and the document holds none',
  'DOC-10': 'it compares with a pinned contract, and none was given',
  'ENV-04': 'it holds answers to declared schemas, and none is declared for them',
  'ENV-05': 'it holds statuses to the declared ones, and none is declared',
  'ENV-08': 'it holds response headers to their declaration, and none is declared',
  'UNIT-06': 'the specification leaves open which methods units/{id} has',
  'UNIT-07': 'the specification leaves open which methods units/{id} has',
  'UNIT-11': 'it follows the declaration of a second operation on units, which the specification leaves open',
  'LEAD-04': 'it breaks the declared schema of a lead, and that forbids nothing',
  'LEAD-07': 'it reads leads back, and nothing declared shows them',
  'DEAL-01': 'the specification leaves open which methods deals has',
  'DEAL-02': 'it judges the deals shown, and no operation lists them',
  'HOOK-06': 'it holds payloads to declared webhooks, and the document declares none',
  'HOOK-08': 'it judges a receiver of events, which is not the service',
  'LIMIT-03': 'it exceeds the sustained limit, and no plan that was tried has one',
};
