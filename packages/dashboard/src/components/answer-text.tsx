import { useMemo } from 'preact/hooks'
import { type Block, type Inline, type ListItem, parseMarkdown } from '../assistant/markdown.js'

/** What a model wrote, with its lists and marks. It is shown as text throughout, and loads nothing. */
export function AnswerText({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return (
    <div class="answer-text">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case 'code':
      return <pre tabIndex={0}>{block.text}</pre>
    case 'list':
      return <ListView isOrdered={block.isOrdered} start={block.start} items={block.items} />
    case 'heading':
      return (
        <h3>
          <Lines lines={block.lines} />
        </h3>
      )
    case 'paragraph':
      return (
        <p>
          <Lines lines={block.lines} />
        </p>
      )
  }
}

function ListView({ isOrdered, start, items }: { isOrdered: boolean; start: number; items: readonly ListItem[] }) {
  const lines = items.map(({ depth, inlines }, index) => (
    <li key={index} class={`depth-${depth}`}>
      <Lines lines={[inlines]} />
    </li>
  ))
  return isOrdered ? <ol start={start}>{lines}</ol> : <ul>{lines}</ul>
}

function Lines({ lines }: { lines: readonly (readonly Inline[])[] }) {
  return lines.map((line, index) => (
    <span key={index}>
      {index > 0 && <br />}
      {line.map((piece, at) => (
        <Piece key={at} piece={piece} />
      ))}
    </span>
  ))
}

function Piece({ piece }: { piece: Inline }) {
  switch (piece.type) {
    case 'text':
      return piece.text
    case 'bold':
      return <strong>{piece.text}</strong>
    case 'italic':
      return <em>{piece.text}</em>
    case 'code':
      return <code>{piece.text}</code>
    case 'link':
      // Where it leads is said beside it: its words are the model's.
      return (
        <>
          <a href={piece.url} target="_blank" rel="noopener noreferrer nofollow">
            {piece.text}
          </a>{' '}
          <span class="link-host">({piece.host})</span>
        </>
      )
  }
}
