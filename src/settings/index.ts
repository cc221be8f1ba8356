export { type AddressForm, addressForms, otherForms, urlIn } from './address-forms.js';
export { envExample } from './env-example.js';
export {
  errorCode,
  type InputFile,
  orSettingsError,
  readInput,
  unknownName,
  writeOutput,
  wrongFile,
} from './wrong-input.js';
export { headerMark } from './headers.js';
export { type Limit, parseLimits } from './limits.js';
export { isReadOnly, readTarget } from './read-target.js';
export { type Remedy, remedyText, toSet, withRemedy } from './remedy.js';
export { withBodies } from './request-body.js';
export { secretsIn, shownUrl } from './secrets-in.js';
export {
  flagOf,
  type KeyName,
  keyNames,
  proxyVariables,
  type RawSettings,
  secretSettings,
  type SettingName,
  settingTable,
} from './setting-table.js';
export { SettingsError } from './settings-error.js';
export {
  keyedPlans,
  type LimitModel,
  type Network,
  planKeys,
  type PlanName,
  planNames,
  type Proxy,
  type Target,
  tenantsOf,
} from './target.js';
export { writeWhole } from './write-whole.js';
