// The citations in a model's texts: `[3]`, also as `[3, 5]` and `[3-5]`. Pure.

const CITATION = /\s{0,2}\[\s{0,9}(\d{1,4}(?:\s{0,9}[-–,;]\s{0,9}\d{1,4})*)\s{0,9}\]/g
const RANGE = /(\d+)\s*[-–]\s*(\d+)/g
/** Whoever cites more in one range cites nothing. */
const LONGEST_RANGE = 20

/** A text in which each citation stands by itself and is of a number that there is; and the numbers, in the order of the text. */
export function checkedCitations(
  text: string,
  known: ReadonlySet<number>,
): { readonly text: string; readonly cited: readonly number[] } {
  const cited: number[] = []
  const checked = text.replaceAll(CITATION, (whole, numbers: string) => {
    const there = numbersIn(numbers).filter((number) => known.has(number))
    cited.push(...there)
    const blank = /^\s/.test(whole) && there.length > 0 ? ' ' : ''
    return `${blank}${there.map((number) => `[${number}]`).join('')}`
  })
  return { text: checked.trim(), cited: [...new Set(cited)] }
}

function numbersIn(text: string): number[] {
  const spelled = text.replaceAll(RANGE, (_, from: string, to: string) => rangeOf(Number(from), Number(to)).join(','))
  return spelled.split(/[,;]/).map(Number)
}

const rangeOf = (from: number, to: number): number[] =>
  to < from || to - from >= LONGEST_RANGE ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index)
