// Buttons, fields and choices with their common attributes.
import type { ButtonHTMLAttributes, InputHTMLAttributes, SelectHTMLAttributes } from 'react';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Text appended to the class `btn btn-`: `line sm` makes `btn btn-line sm`. */
  readonly look?: string;
  readonly testId?: string | undefined;
}

export function Button({ look, testId, ...rest }: ButtonProps) {
  return <button type="button" className={look && `btn btn-${look}`} data-testid={testId} {...rest} />;
}

interface TextInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly value: string;
  readonly onText: (text: string) => void;
}

export function TextInput({ onText, ...rest }: TextInputProps) {
  return <input {...rest} onChange={(event) => onText(event.target.value)} />;
}

interface Option<T extends string | number> {
  readonly value: T;
  readonly text: string;
  readonly testId?: string;
}

interface SelectProps<T extends string | number> extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value'> {
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly onPick: (value: T) => void;
}

export function Select<T extends string | number>({ options, onPick, ...rest }: SelectProps<T>) {
  return (
    <select {...rest} onChange={(event) => onPick(options[event.target.selectedIndex]!.value)}>
      {options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface SegmentsProps<T extends string> {
  readonly legend: string;
  readonly options: readonly Option<T>[];
  /** Value of the pressed option, if any. */
  readonly value: T | undefined;
  readonly onPick: (value: T) => void;
  readonly className?: string;
}

/** Buttons side by side, one of which is pressed. */
export function Segments<T extends string>({ legend, options, value, onPick, className = 'seg' }: SegmentsProps<T>) {
  return (
    <fieldset className={className}>
      <legend className="sr">{legend}</legend>
      {options.map((option) => (
        <Button
          key={option.value}
          testId={option.testId}
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
        >
          {option.text}
        </Button>
      ))}
    </fieldset>
  );
}
