export { type Activity, createActivity, type LoadRequest } from './activity.js';
export { type Ask, type Client, createClient, type Credential } from './client.js';
export { connectorFor, opened, plainNetwork, proxyHeaders, proxyName } from './connector.js';
export { curlFor, curlThatShows } from './curl.js';
export { ambiguityIn, decodeBody, decodeJson, decodeText, differentAt } from './decode-body.js';
export { describe, ownWords } from './describe.js';
export {
  acceptedTypes,
  type AnswerPart,
  type Exchange,
  type Failure,
  header,
  type HeaderLine,
  type RecordedRequest,
  type RecordedResponse,
  succeeded,
  type Surface,
} from './exchange.js';
export { gatewayOf, gatewayStatuses, notPassedOn } from './gateways.js';
export { awayReason, isOfProxy, isUndelivered, looksAway } from './outage.js';
export { createPacer } from './pacer.js';
export { percentEncode } from './percent-encode.js';
export { createRedactor, type Redactor } from './redactor.js';
export { shellWord } from './shell.js';
export { shownAuthorization } from './shown-authorization.js';
export { BlockedSignal, NotApplicableSignal, UnjudgedSignal } from './signals.js';
export { suspendAwareTimeout } from './suspend-aware-timeout.js';
export { createTraceContext, type TraceContext, traceIdOf } from './trace-context.js';
export { createTransport } from './transport.js';
