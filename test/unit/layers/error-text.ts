/** Ways in which the words of an error would get into a log, an answer or a metric: lint/no-error-text.grit knows each. */
export const ERROR_TEXT: readonly string[] = [
  // Its words
  'f(error.message);',
  'f(error?.stack);',
  'f(error.cause);',
  'f(error.toString());',
  "f(error['message']);",
  'f(lastError.message);',
  'f((error as Error).message);',
  // A text of it
  'f(String(error));',
  `f(\`failed: \${error}\`);`,
  `f(\`failed: \${lastError}\`);`,
  "f('failed: ' + error);",
  "f(error + '');",
  'f(JSON.stringify(error));',
  'f(JSON.stringify(error, null, 2));',
  'f(inspect(error, { depth: 1 }));',
  "f(format('%s', error));",
  'throw new Error(error);',
  // A copy of it
  'f({ ...error });',
  'f(Object.assign({}, error));',
  // It, in what is logged, counted or traced
  "logger.error('failed', error);",
  "logger.error('failed', { error });",
  "logger.error('failed', { code: errorCode(error), ...error });",
  "logger.error('failed', error as Error);",
  "this.#dependencies.logger.warn('failed', { deep: { why: error } });",
  "metrics.addMetadata('why', error);",
  "span.setAttribute('why', error);",
  'span.recordException(error);',
  // It, under a name that the rules would not know
  'const why = error;',
  'const { message } = error;',
  'const { code, ...rest } = error;',
  'this.why = error;',
  'try { f(); } catch (why) { g(); }',
  'try { f(); } catch ({ message }) { g(); }',
  'f().catch((why) => g(why));',
  'f().catch((why: unknown) => g(why));',
  'f().catch(({ message }) => g(message));',
  'f().catch(function (why) { g(why); });',
  'f().then(g, (why) => g(why));',
];

/** What may be done with an error. */
export const ERROR_CODES: readonly string[] = [
  "import { error } from './x.ts';", // unbound, it is a global that the domain may not use
  "logger.error('failed', { code: errorCode(error) });",
  'f(ownSentence(error));',
  `f(\`failed: \${errorCode(error)}\`);`,
  'try { f(); } catch (error) { throw error; }',
  'try { f(); } catch (error) { if (!(error instanceof JsonSyntaxError)) throw error; }',
  "try { f(); } catch (error) { throw new UnavailableError('s3', { cause: error }); }",
  'try { f(); } catch { g(); }',
  'f().catch((error: unknown) => g(error));',
  'f().catch(() => false);',
  'f().then((value) => g(value), () => false);',
  'f().then((value) => g(value));',
  'const { violations } = error;',
  'lastError = error;',
];

/** What would get past the logger, or past entryPoint(), in the file of a function. */
export const OTHER_OUTPUT: readonly string[] = [
  'export const handler = createHandler({ clock: Date.now });',
  'export const handler = async () => 1;',
  "process.stdout.write('x');",
  "process.stderr.write('x');",
];
