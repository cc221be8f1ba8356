/** What a flag holds, and how it is read. */
export interface Kind<T> {
  /** What stands for its value in a help; '' where the flag stands alone. */
  readonly form: string;
  readonly about: string;
  /** Whether it may be given more than once. */
  readonly repeats?: true;
  readonly expected: string;
  /** The value of its texts, in the order of the command line; undefined where they are not what is expected. */
  readonly read: (texts: readonly string[]) => T | undefined;
}

/** Stands alone. */
export const flag = (about: string): Kind<true> => ({ form: '', about, expected: 'no value', read: () => true });

export const text = (form: string, about: string): Kind<string> => ({
  form,
  about,
  expected: 'a text',
  read: ([first]) => first || undefined,
});

export const texts = (form: string, about: string): Kind<readonly string[]> => ({
  ...text(form, about),
  repeats: true,
  read: (all) => (all.every(Boolean) ? all : undefined),
});

/** Parts with commas between them; repeated, they are one list. */
export const list = (form: string, about: string): Kind<readonly string[]> => ({
  ...text(form, about),
  repeats: true,
  expected: 'one or more, with commas between them',
  read(all) {
    const parts = all.flatMap((one) => one.split(',')).map((part) => part.trim());
    return parts.some(Boolean) ? parts.filter(Boolean) : undefined;
  },
});

/** The same as one text. */
export const joined = (form: string, about: string): Kind<string> => ({
  ...list(form, about),
  read: (all) => list(form, about).read(all)?.join(','),
});

/** A text of this pattern, which `expected` describes. */
export const like = (form: string, pattern: RegExp, expected: string, about: string): Kind<string> => ({
  ...text(form, about),
  expected,
  read: ([one = '']) => (pattern.test(one) ? one : undefined),
});

export const url = (form: string, about: string): Kind<string> => ({
  ...text(form, about),
  expected: 'an http or https URL, such as http://127.0.0.1:8080/',
  read: ([one = '']) => (URL.canParse(one) && /^https?:/.test(new URL(one).protocol) ? one : undefined),
});

export function number(form: string, least: number, most: number, about: string, what = 'a number'): Kind<number> {
  const isWhole = what === 'a whole number';
  return {
    form,
    about,
    expected: `${what} from ${least} to ${most}`,
    read: ([one = '']) =>
      (isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(one) && Number(one) >= least && Number(one) <= most
        ? Number(one)
        : undefined,
  };
}

export const whole = (form: string, least: number, most: number, about: string): Kind<number> =>
  number(form, least, most, about, 'a whole number');

export const oneOf = <T extends string>(form: string, names: readonly T[], about: string): Kind<T> => ({
  form,
  about,
  expected: `one of ${names.join(', ')}`,
  read: ([one]) => names.find((name) => name === one),
});

export const someOf = <T extends string>(form: string, names: readonly T[], about: string): Kind<readonly T[]> => ({
  form,
  about,
  repeats: true,
  expected: `one or more of ${names.join(', ')}, with commas`,
  read(all) {
    const parts = list(form, about)
      .read(all)
      ?.map((part) => names.find((name) => name === part));
    return parts?.every((part) => part !== undefined) === true ? parts : undefined;
  },
});

const secondsPer = { ms: 0.001, s: 1, m: 60, h: 3_600 } as const;
export const daySeconds = 86_400;

/** `90s`, `10m`, `1h30m` or bare seconds, in seconds. */
export const time = (form: string, leastSeconds: number, about: string): Kind<number> => ({
  form,
  about,
  expected: `a length of time such as 60s, 10m or 1h30m, of ${leastSeconds === 0 ? '' : `at least ${leastSeconds} s and `}at most 24 h`,
  read([one = '']) {
    if (!/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.test(one)) return undefined;
    let seconds = 0;
    for (const [, count, unit = 's'] of one.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g))
      seconds += Number(count) * secondsPer[unit as keyof typeof secondsPer];
    return seconds >= leastSeconds && seconds <= daySeconds ? seconds : undefined;
  },
});
