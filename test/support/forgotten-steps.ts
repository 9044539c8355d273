import { join } from 'node:path'
import * as ast from 'typescript/unstable/ast'
import { API, type Checker, SignatureKind, type Type } from 'typescript/unstable/sync'

const root = join(import.meta.dirname, '../..')
/** These take the steps. */
const drivers = /\/src\/mirror\/(postgres\/|sqlite\/|steps\.ts$)/
const config = join(root, 'tsconfig.forgotten-steps.json')

/**
 * Places of the mirror where a step is neither taken by `yield*` nor handed on to a caller that takes it: there its
 * statement would not run, or the step itself would count as its answer. The compiler accepts most of them.
 *
 * @param planted texts by path below the project, read instead of the files.
 */
export function forgottenSteps(planted: Readonly<Record<string, string>> = {}): readonly string[] {
  const files: Record<string, string> = {
    [config]: JSON.stringify({ extends: './tsconfig.json', include: ['src/store'], files: Object.keys(planted) }),
  }
  for (const [path, text] of Object.entries(planted)) files[join(root, path)] = text
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => files[path],
      fileExists: (path) => (files[path] === undefined ? undefined : true),
    },
  })
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error(`The compiler did not open ${config}`)
    const { program, checker } = project
    return program
      .getSourceFileNames()
      .filter((name) => name.startsWith(join(root, 'src/store/')) && !drivers.test(name))
      .toSorted()
      .flatMap((name) => {
        const file = program.getSourceFile(name)
        return file === undefined ? [] : forgottenIn(file, checker)
      })
  } finally {
    api.close()
  }
}

function forgottenIn(file: ast.SourceFile, checker: Checker): readonly string[] {
  const found = expressionsOf(file)
  const types = checker.getTypeAtLocation(found)
  const forgotten = found.filter((node, i) => isStep(types[i], checker) && !isTaken(node, checker))
  return forgotten.map((node) => {
    const start = node.getStart(file)
    const line = file.text.slice(0, start).split('\n').length
    const [code = ''] = file.text.slice(start, node.end).split('\n')
    return `${file.fileName.slice(root.length + 1)}:${line}: ${code}`
  })
}

/** Calls, and names and members that are read. */
function expressionsOf(file: ast.SourceFile): readonly ast.Expression[] {
  const found: ast.Expression[] = []
  const visit = (node: ast.Node): void => {
    if (ast.isTypeNode(node) || ast.isImportDeclaration(node) || ast.isExportDeclaration(node)) return
    const isName = 'name' in node.parent && node.parent.name === node
    const isMeant = ast.isCallExpression(node) || ast.isPropertyAccessExpression(node) || ast.isIdentifier(node)
    if (isMeant && !isName) found.push(node)
    node.forEachChild(visit)
  }
  file.forEachChild(visit)
  return found
}

/** A `Step`, or a generator of `Steps`, also as one of several types. */
function isStep(type: Type | undefined, checker: Checker): boolean {
  if (type === undefined) return false
  if (type.isUnionType()) return type.getTypes()?.some((one) => isStep(one, checker)) ?? false
  const name = type.getSymbol()?.name
  if (name === 'Generator' && type.isTypeReference()) {
    const asked = checker.getTypeArguments(type)[0]
    const kinds = asked?.isUnionType() ? asked.getTypes() : [asked]
    return kinds?.some((kind) => kind?.getSymbol()?.name === 'Ask') ?? false
  }
  return name === 'Step'
}

const passing = new Set([ast.SyntaxKind.QuestionQuestionToken, ast.SyntaxKind.BarBarToken])

function isTaken(node: ast.Expression, checker: Checker): boolean {
  const { parent } = node
  if (ast.isYieldExpression(parent)) return parent.asteriskToken !== undefined
  if (ast.isParenthesizedExpression(parent) || ast.isAsExpression(parent)) return isTaken(parent, checker)
  if (ast.isConditionalExpression(parent)) return parent.condition !== node && isTaken(parent, checker)
  if (ast.isBinaryExpression(parent))
    return passing.has(parent.operatorToken.kind) && parent.right === node && isTaken(parent, checker)
  // What is kept under a name is looked at where the name is read.
  if (ast.isVariableDeclaration(parent) || ast.isPropertyAssignment(parent)) return parent.initializer === node
  if (ast.isShorthandPropertyAssignment(parent)) return true
  if (ast.isCallExpression(parent))
    return parent.expression !== node && isStep(checker.getContextualType(node), checker)
  if (ast.isArrowFunction(parent)) return isReturned(parent, checker)
  if (ast.isReturnStatement(parent)) return isReturned(functionOf(parent), checker)
  return false
}

/** A generator and an async function would return the step itself, and a callback may be called for nothing. */
function isReturned(from: ast.Node, checker: Checker): boolean {
  if ('asteriskToken' in from && from.asteriskToken !== undefined) return false
  if (!ast.isArrowFunction(from) && !ast.isFunctionExpression(from)) return true
  if (from.modifiers?.some(({ kind }) => kind === ast.SyntaxKind.AsyncKeyword)) return false
  const expected = checker.getContextualType(from)
  if (expected === undefined) return true
  const signatures = checker.getSignaturesOfType(expected, SignatureKind.Call)
  return signatures.every((one) => {
    const type = checker.getReturnTypeOfSignature(one)
    return type?.isUnionType() === true
      ? type.getTypes()?.every((each) => isStep(each, checker))
      : isStep(type, checker)
  })
}

const functions = new Set([
  ast.SyntaxKind.ArrowFunction,
  ast.SyntaxKind.FunctionDeclaration,
  ast.SyntaxKind.FunctionExpression,
  ast.SyntaxKind.MethodDeclaration,
])

function functionOf({ parent }: ast.Node): ast.Node {
  return functions.has(parent.kind) ? parent : functionOf(parent)
}
