/** Faults that no check finds yet: each is a row to write. One that is found is a problem of the proof until it is struck out here. */
export const gaps: ReadonlySet<string> = new Set(
  `
second-form-lead-change-absent
`
    .trim()
    .split(/\s+/),
);
