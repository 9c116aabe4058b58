// Finds the functions of a file and their lengths: TypeScript by its parser, C++ by its braces.
import ts from 'typescript';

export interface FunctionSpan {
  readonly name: string;
  /** First line, from 1. */
  readonly line: number;
  /** From the first line of the signature to the closing brace. */
  readonly lines: number;
}

export function typescriptFunctions(path: string, text: string): FunctionSpan[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const spans: FunctionSpan[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
      const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
      const name = node.name?.getText(file) ?? 'a function';
      spans.push({ name, line: first + 1, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return spans;
}

/** The lines of a TypeScript file on which the type `any` is written. */
export function linesWithAny(path: string, text: string): number[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      lines.push(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines;
}

/** Comments, strings, numbers (for the quotes inside them), characters; in this order. */
const NOT_CODE = new RegExp(
  [
    /\/\/[^\n]*/,
    /\/\*[\s\S]*?\*\//,
    /R"([^(\s]*)\([\s\S]*?\)\1"/,
    /"(?:\\.|[^"\\\n])*"/,
    /\b\d[\d'a-fA-FxX]*/,
    /'(?:\\.|[^'\\\n])+'/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Comments, literals and preprocessor lines become blanks; lines stay where they are. */
export function blankCpp(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  return text
    .replace(NOT_CODE, (part) => (/^\d/.test(part) ? part.replaceAll("'", '0') : blank(part)))
    .replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, blank);
}

const ATTRIBUTE = /\balignas\s*\([^()]*(?:\([^()]*\))?[^()]*\)|\[\[[^\]]*\]\]/g;
const CONTAINER = /\b(namespace|class|struct|union|enum|extern)\b[^()=]*$/;

/** A brace outside of functions opens a function if its head has an argument list. */
export function cppFunctions(text: string): FunctionSpan[] {
  const code = blankCpp(text);
  const spans: FunctionSpan[] = [];
  const open: { function: { name: string; line: number } | null }[] = [];
  let head = '';
  let headLine = 1;
  let line = 1;
  let depthOfFunction = 0;
  for (const char of code) {
    if (char === '{') {
      const signature = head.replace(ATTRIBUTE, ' ');
      const parens = /([\w:~]+)\s*\(/.exec(signature);
      const starts = depthOfFunction === 0 && parens !== null && !CONTAINER.test(signature);
      const named = starts && !/=\s*$/.test(signature);
      const begun = named ? { name: parens[1] ?? '', line: headLine } : null;
      if (begun !== null || depthOfFunction > 0) depthOfFunction += 1;
      open.push({ function: begun });
      head = '';
    } else if (char === '}') {
      const closed = open.pop()?.function;
      if (depthOfFunction > 0) depthOfFunction -= 1;
      if (closed) spans.push({ ...closed, lines: line - closed.line + 1 });
      head = '';
    } else if (char === ';') {
      head = '';
    } else {
      if (head.trim() === '' && char.trim() !== '') headLine = line;
      head += char;
    }
    if (char === '\n') line += 1;
  }
  return spans;
}
