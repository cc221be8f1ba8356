export { checkSubmission } from './check.js';
export { writeRepository } from './init.js';
export { openRepository } from './repository.js';
export { rowsAsMarkdown, rowsAsText } from './rows.js';
export { readRegistry } from './site/certificates.js';
export { writeSite } from './site/write-site.js';
