// Tests that are declared in Kotlin and Java sources.

/** A method with `@Test`. */
export interface DeclaredTest {
  /** `com.example.FeedTest`. */
  className: string;
  method: string;
  /** Line of its name, from 0. */
  line: number;
}

/** The tests of a file, in its order. Comments and texts do not count. */
export function declaredTests(source: string): DeclaredTest[] {
  const code = blankOut(source);
  const packageName = /^\s*package\s+([\w.]+)/m.exec(code)?.[1];
  const tests: DeclaredTest[] = [];
  const token = /\bclass\s+(\w+)|@(?:[\w.]+\.)?Test\b(?!\w)/g;
  let className: string | undefined;
  for (let match = token.exec(code); match; match = token.exec(code)) {
    if (match[1] !== undefined) {
      className = match[1];
      continue;
    }
    // Up to the method's name; another class or test in between is none.
    const declaration = /^[^;{}]*?\b(?:fun\s+(?:`([^`]+)`|(\w+))|void\s+(\w+))\s*\(/.exec(code.slice(match.index + match[0].length));
    const method = declaration?.[1] ?? declaration?.[2] ?? declaration?.[3];
    if (!declaration || method === undefined || className === undefined) continue;
    const end = match.index + match[0].length + declaration[0].length;
    const line = code.slice(0, end).split("\n").length - 1;
    tests.push({ className: packageName ? `${packageName}.${className}` : className, method, line });
  }
  return tests;
}

/** The line, from 0, on which a function is declared; undefined if it is not there or there several times. */
export function declarationLine(source: string, method: string): number | undefined {
  const escaped = method.replace(/[^\w]/g, "\\$&");
  const pattern = new RegExp(`(?:\\bfun\\s+(?:<[^>]*>\\s*)?(?:[\\w.<>?]+\\.)?|\\b[\\w.<>\\[\\]]+\\s+)${escaped}\\s*\\(`);
  const isCall = new RegExp(`\\b(?:return|new|throw|else)\\s+${escaped}\\s*\\(`);
  const lines = blankOut(source).split("\n");
  const found = lines.flatMap((line, at) => (pattern.test(line) && !isCall.test(line) ? [at] : []));
  return found.length === 1 ? found[0] : undefined;
}

/** Comments and texts as blanks, line breaks as they are. */
function blankOut(source: string): string {
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/g;
  return source.replace(pattern, (text) => text.replace(/[^\n]/g, " "));
}
