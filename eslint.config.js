import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'examples/**', 'reports/**', 'node_modules/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // What arrives from outside, and JSON.stringify, are not always what their types say.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-duplicate-imports': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      // Playwright's fixtures are asked for by destructuring, so an empty pattern is a fixture that needs none.
      'no-empty-pattern': 'off',
      // Hostile text is this project's daily bread: control characters in patterns are meant.
      'no-control-regex': 'off',
      // Objects here are records of closures; nothing in this project uses `this` outside a class.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': ['error', { allow: ['info'] }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // Values from the wire are unknown until judged; where one is shown, any form of it will do.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    // Patterns meet texts that a hostile service wrote: none may take more than proportionally long to its length.
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  {
    files: ['**/*.test.ts'],
    rules: { '@typescript-eslint/require-await': 'off', '@typescript-eslint/only-throw-error': 'off' },
  },
  { files: ['eslint.config.js', 'action/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['action/*.mjs'],
    languageOptions: {
      parserOptions: { projectService: false },
      globals: { AbortSignal: 'readonly', console: 'readonly', fetch: 'readonly', process: 'readonly' },
    },
  },
);
