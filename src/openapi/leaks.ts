/** Details that an error must not reveal (OWASP API8:2023). No input of this suite has one of these forms. */
const leaks: readonly (readonly [RegExp, string])[] = [
  [/\bat [\w$.<>[\] ]{1,200} \((?:file:\/\/|node:)?[\w./\\:@-]+:\d+:\d+\)/, 'a stack trace'],
  [/\bat [\w$.<>`]{1,200}\([\w$.<>[\], ]{0,200}\) in \S+:line \d+/, 'a stack trace'],
  [/#\d+ \{main\}/, 'a stack trace'],
  [/\bat (?:async )?(?:file:\/\/)?(?:\/|[A-Z]:\\)[\w./\\@-]+:\d+:\d+/, 'a stack trace'],
  [/Traceback \(most recent call last\)|File "[^"]+", line \d+/, 'a stack trace'],
  [/(?<![\w.@-])(?<!:\/\/)[\w.-]{1,100}\.(java|kt|scala|cs|go|rb|php|py|js|ts|rs):\d+\b/, 'a source position'],
  [/goroutine \d+ \[|panic: runtime error/, 'a stack trace'],
  [/(^|[\s"'(:=])\/(usr|var|home|opt|app|srv|etc|root|tmp|workspace|build|node_modules)\/[\w./-]+/, 'a file path'],
  [/\b[A-Z]:\\(?:[\w .-]+\\)+[\w .-]+/, 'a file path'],
  [/node_modules[\\/]/, 'a file path'],
  [
    /\bSELECT\b.{1,400}\bFROM\b|\bINSERT INTO\b.{1,200}\bVALUES\b|\bUPDATE\b.{1,200}\bSET\b.{1,200}\bWHERE\b|\bDELETE FROM\b.{1,200}\bWHERE\b/s,
    'SQL',
  ],
  [
    /SQLSTATE\[?\w|\bORA-\d{5}\b|\bsyntax error at or near\b|\bER_[A-Z_]{4,}\b|SQLITE_[A-Z]+|\bunique constraint "[^"]+"|PrismaClient\w*Error|\bQueryFailedError\b/i,
    'a database message',
  ],
  [/\b(postgres(ql)?|mysql|mongodb(\+srv)?|redis|amqp):\/\/[^\s"']+/i, 'a connection string'],
];

/** The internal detail that an error reveals, quoted, or null. */
export function leakIn(error: unknown): string | null {
  const texts: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 12) return;
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  visit(error, 0);
  for (const text of texts) {
    for (const [pattern, name] of leaks) {
      const found = pattern.exec(text.slice(0, 20_000));
      if (found) return `${name}: ${JSON.stringify(found[0].trim().slice(0, 120))}`;
    }
  }
  return null;
}
